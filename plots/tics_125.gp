# Labels a logarithmic axis, named by the argument, at 1, 2 and 5 times each power of ten.
do for [power=-4:7] {
    do for [digit in "1 2 5"] { eval sprintf('set %stics add ("%g" %g)', ARG1, digit * 10.0**power, digit * 10.0**power) }
}
