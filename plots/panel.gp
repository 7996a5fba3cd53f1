# Begins a panel: sets its place, writes above it what its y axis shows, and draws the lines of a paper.
# Arguments: the number of the panel, from 0, and the text above it. plots/style.gp has been loaded.
half = int(ARG1)
left = real(half % beside) / beside
top = 1 - (52.0 + int(half / beside) * tall) / height
set label 1003 ARG2 at screen left, screen top offset (left > 0 ? 0.5 : 1.5),-0.6 left noenhanced font ",12"
set tmargin at screen top - ((lying ? 10.0 : 30.0) + 16 * raised) / height
if (panels > 1) {
    set lmargin at screen left + 62.0 / width
    set rmargin at screen left + 1.0 / beside - 20.0 / width
    set bmargin at screen top - (tall - 64.0) / height
}
do for [i=1:lines] {
    unset arrow i
    unset label i
    if (panel_of(i) == half) {
        row = 0
        do for [j=1:lines] { row = row + nearer(i, j) }
        set arrow i from first at(i), graph 0 to first at(i), graph 1 nohead dt 3 lw 1.5
        set label i "paper: " . word($lines[i], 3) at first at(i), graph 1 \
            offset 0,0.45 + 0.8 * row noenhanced font ",11" front
        if (flip > 0) { set label i left } else { set label i right }
    }
}
