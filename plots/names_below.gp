# Computes the room for the names of bars, which stand aslant below the bars. The names are the first column
# of STEM.dat. The drawing grows by `below` pixels, and the bottom margin gets `slant` lines. Without these
# settings gnuplot makes room itself, but prints a warning if names are long.
stats stem . '.dat' using (strlen(strcol(1))) nooutput name "name"
below = 5 * name_max
slant = 0.34 * name_max + 1
