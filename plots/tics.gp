# Labels a logarithmic axis, named by the first argument, at each power of ten times the numbers of the second.
do for [power=-4:7] {
    do for [digit in ARG2] { eval sprintf('set %stics add ("%g" %g)', ARG1, digit * 10.0**power, digit * 10.0**power) }
}
