# Draws two bars for each row. Columns: name, average, maximum.
entries = 2
longest = strlen("maximum")
load "plots/style.gp"
set xlabel " " # an empty line makes room for the second line of a name
set xtics noenhanced
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.85
set boxwidth 0.9
# A name such as shuffle+copies takes two lines.
cut(name) = strstrt(name, "+")
broken(name) = cut(name) ? name[1:cut(name) - 1] . "\n" . name[cut(name):*] : name
plot data using 2:xtic(broken(strcol(1))) lc rgb "#1f77b4" title "average", data using 3 lc rgb "#9ecae1" title "maximum" @marks
