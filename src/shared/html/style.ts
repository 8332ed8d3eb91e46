/**
 * The tokens of every page, and how plain elements look with them: type, spacing, colours, and the three states, which are
 * never told by their colour alone.
 */
export const STYLE = `:root{color-scheme:light dark;
--text-s:.875rem;--text-m:1rem;--text-l:1.25rem;--text-xl:clamp(1.5rem,6vw,2.5rem);
--space-xs:.25rem;--space-s:.5rem;--space-m:1rem;--space-l:1.5rem;--radius:.6rem;--width:60rem;
--mono:ui-monospace,"SF Mono",Menlo,Consolas,monospace;
--bg:#f5f6f8;--card:#fff;--text:#1b1f24;--soft:#57606a;--line:#d8dee4;
--ok:#116329;--wait:#7d4e00;--bad:#a40e26;--link:#0550ae;--button:#0550ae;--on-button:#fff}
@media (prefers-color-scheme:dark){:root{--bg:#0d1117;--card:#161b22;--text:#e6edf3;--soft:#9ea7b3;--line:#30363d;
--ok:#56d364;--wait:#e3b341;--bad:#ff8182;--link:#79c0ff;--button:#79c0ff;--on-button:#0d1117}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:var(--text-m)/1.5 system-ui,sans-serif}
h1,h2,h3{font-size:var(--text-m);font-weight:650;margin:0;overflow-wrap:anywhere}
p{margin:var(--space-xs) 0;overflow-wrap:anywhere}
a{color:var(--link)}
.ok{color:var(--ok)}.wait{color:var(--wait)}.bad{color:var(--bad)}
.soft{color:var(--soft);font-size:var(--text-s);font-weight:400}
button{font:inherit;font-weight:600;color:var(--on-button);background:var(--button);border:0;border-radius:.4rem;
padding:.4rem .9rem;min-height:2.25rem;cursor:pointer}
button:disabled{background:var(--soft);cursor:default}
button:focus-visible,a:focus-visible,summary:focus-visible{outline:3px solid var(--link);outline-offset:2px}
summary{cursor:pointer}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.35rem .75rem .35rem 0;border-bottom:1px solid var(--line);
overflow-wrap:anywhere}
tr:last-child>*{border-bottom:0}
th{font-weight:600}
thead th{color:var(--soft);font-size:var(--text-s);white-space:nowrap}
time{white-space:nowrap}
.fixed{white-space:nowrap;font-variant-numeric:tabular-nums}
td:not(.fixed){min-width:7rem}
ol,ul{list-style:none;margin:0;padding:0}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--card);padding:.5rem}
@media (max-width:50rem){thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
tr{display:block;padding:.4rem 0;border-bottom:1px solid var(--line)}tr:last-child{border-bottom:0}
th,td{display:block;border:0;padding:.1rem 0}.fixed{white-space:normal}
td[data-label]::before{content:attr(data-label) ": ";color:var(--soft)}}
@media (prefers-reduced-motion:no-preference){summary{transition:background .1s}}
`
