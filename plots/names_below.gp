# The room that the names of bars take, which stand aslant below them: STEM.dat has them in its first column. In pixels, by
# which the drawing grows, and in lines: gnuplot complains where it has to make room itself and names are long.
stats stem . '.dat' using (strlen(strcol(1))) nooutput name "name"
below = 5 * name_max
slant = 0.34 * name_max + 1
