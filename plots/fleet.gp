# Draws the spread of each number over the cards of a fleet. The first data set has a row for each number: its
# place, then as percentages above the median the quartiles of all cards, and the minimum and the maximum of
# those that are not outside. Each further data set has the places and percentages of a card that is outside;
# its name is in `names`.
load stem . '.set'
cards = words(names)
entries = cards + 2
longest = strlen("all other cards")
load "plots/style.gp"
set yrange [lowest:highest]
outside = ""
do for [i=1:cards] {
    outside = outside . sprintf(", data index %d using 1:2 with points lc rgb color(%d)", i, i) \
        . sprintf(" pt point(%d) ps 0.5 title word(names, %d)", i, i)
}
plot data index 0 using 1:4:5 with filledcurves lc rgb "#d9d9d9" title "all other cards", \
    data index 0 using 1:2:3 with filledcurves lc rgb "#1f77b4" title "quartiles" @outside
