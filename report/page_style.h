/* The style sheet of the pages, and a script. The pages also work without the script. Neither text contains
 * characters that XML reserves. */
#ifndef REPORT_PAGE_STYLE_H
#define REPORT_PAGE_STYLE_H

/* The style sheet. In dark mode the figures keep a light background, because texts refer to their colours and
 * pale bars mean unordered variants. On a narrow screen a figure keeps a width at which its letters can be
 * read, and is scrolled. */
static const char page_style[] =
    ":root { color-scheme: light dark; --ink: #1b1b1f; --paper: #fdfdfc; --line: #c9c9c4; --soft: #f1f1ee;\n"
    "  --link: #1a4f9c; --good: #14662f; --part: #7a4d00; --bad: #a01c1c; --none: #5f5f66; }\n"
    "@media (prefers-color-scheme: dark) { :root { --ink: #e8e8ec; --paper: #17171a; --line: #46464c;\n"
    "  --soft: #222227; --link: #8fb8f5; --good: #7bd694; --part: #e5b567; --bad: #ff9d94;\n"
    "  --none: #a3a3ab; } img { filter: brightness(0.92); } }\n"
    "body { font: 17px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper);\n"
    "  max-width: 64rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word; }\n"
    "a { color: var(--link); } h2 a, h3 a, th a { color: inherit; text-decoration: none; }\n"
    "h2 a:hover, h3 a:hover { text-decoration: underline; }\n"
    "h1 { line-height: 1.2; } h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }\n"
    "h3 { margin: 0 0 0.4rem; font-size: 1.05rem; }\n"
    ".answer { font-size: 1.15rem; background: var(--soft); padding: 1rem 1.2rem; border-radius: 0.5rem; }\n"
    "nav ul { margin: 0.2rem 0; padding-left: 1.2rem; } nav li { margin: 0.15rem 0; }\n"
    "nav ul ul { columns: 2 22rem; font-size: 0.9rem; }\n"
    "img { display: block; width: 100%; height: auto; background: #fff; border-radius: 0.3rem; }\n"
    "figure { margin: 2.5rem 0; } figcaption { margin-top: 0.4rem; }\n"
    ".made { display: block; font-size: 0.85rem; color: var(--none); }\n"
    ".wide { overflow-x: auto; }\n"
    ".swatch { display: inline-block; width: 0.8em; height: 0.8em; border-radius: 0.2em;\n"
    "  border: 1px solid var(--line); } .method { white-space: nowrap; margin-right: 0.8em; }\n"
    "table { border-collapse: collapse; font-size: 0.85rem; }\n"
    "th { border-bottom: 1px solid var(--line); }\n"
    "td, th { text-align: left; padding: 0.2rem 0.9rem 0.2rem 0; font-variant-numeric: tabular-nums;\n"
    "  vertical-align: top; }\n"
    "th button { font: inherit; color: inherit; text-align: left; background: none; border: 0; padding: 0;\n"
    "  cursor: pointer; } th button::after { content: ' \\2195'; color: var(--none); }\n"
    "th[aria-sort=ascending] button::after { content: ' \\2191'; color: inherit; }\n"
    "th[aria-sort=descending] button::after { content: ' \\2193'; color: inherit; }\n"
    "tr:nth-child(even) td { background: var(--soft); } tr:target td { background: var(--line); }\n"
    ".matrix td:first-child { min-width: 18rem; }\n"
    ".holds { color: var(--good); font-weight: 600; } .part { color: var(--part); font-weight: 600; }\n"
    ".reversed { color: var(--bad); font-weight: 600; } .none { color: var(--none); }\n"
    "dt { float: left; clear: left; } dd { margin: 0 0 0.4rem 17.5rem; }\n"
    "details { margin: 1rem 0; } summary { cursor: pointer; }\n"
    "@media (max-width: 46rem) { body { font-size: 16px; } td, th { padding-right: 0.6rem; }\n"
    "  .wide img { width: 44rem; max-width: none; } .claims table { width: 46rem; }\n"
    "  .matrix td:first-child { min-width: 14rem; } dt { float: none; } dd { margin-left: 1rem; } }\n";

/* The script. A click on the head of a column sorts the table by this column, and a second click sorts it in
 * reverse order. Numbers come before texts. A link to a folded table opens the table. */
static const char page_script[] =
    "'use strict';\n"
    "function number(text) {\n"
    "  var found = text.replace(/,/g, '').match(/^[^\\w.-]*(-?[0-9.]+(?:e[-+]?[0-9]+)?)/);\n"
    "  return found ? parseFloat(found[1]) : NaN;\n"
    "}\n"
    "function compare(a, b, way) {\n"
    "  var x = number(a), y = number(b);\n"
    "  if (isNaN(x) !== isNaN(y)) return isNaN(x) ? 1 : -1;\n"
    "  return way * ((isNaN(x) ? 0 : x - y) || a.localeCompare(b, undefined, { numeric: true }));\n"
    "}\n"
    "function sortBy(head) {\n"
    "  var body = head.closest('table').tBodies[0], way = head.ariaSort === 'ascending' ? -1 : 1;\n"
    "  function cell(row) { var c = row.cells[head.cellIndex]; return c ? c.textContent.trim() : ''; }\n"
    "  Array.from(head.parentNode.cells).forEach(function (other) { other.removeAttribute('aria-sort'); });\n"
    "  head.setAttribute('aria-sort', way === 1 ? 'ascending' : 'descending');\n"
    "  Array.from(body.rows).sort(function (a, b) { return compare(cell(a), cell(b), way); })\n"
    "    .forEach(function (row) { body.appendChild(row); });\n"
    "}\n"
    "function openTarget() {\n"
    "  var target = document.getElementById(location.hash.slice(1));\n"
    "  var folded = target ? target.closest('details') : null;\n"
    "  if (folded) { folded.open = true; target.scrollIntoView(); }\n"
    "}\n"
    "document.addEventListener('DOMContentLoaded', function () {\n"
    "  document.querySelectorAll('thead th').forEach(function (head) {\n"
    "    var button = document.createElement('button');\n"
    "    button.type = 'button';\n"
    "    while (head.firstChild) button.appendChild(head.firstChild);\n"
    "    head.appendChild(button);\n"
    "    button.addEventListener('click', function () { sortBy(head); });\n"
    "  });\n"
    "  openTarget();\n"
    "});\n"
    "window.addEventListener('hashchange', openTarget);\n";

#endif
