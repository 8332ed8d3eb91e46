/** The style of the page: system colours in light and dark, and one column on narrow screens. */
export const PAGE_STYLE = `:root{color-scheme:light dark;
--bg:#f6f7f9;--card:#fff;--text:#1b1f24;--soft:#57606a;--line:#d0d7de;
--ok:#116329;--wait:#7d4e00;--bad:#a40e26;--link:#0550ae;--button:#0550ae;--on-button:#fff}
@media (prefers-color-scheme:dark){:root{--bg:#0d1117;--card:#161b22;--text:#e6edf3;--soft:#9ea7b3;--line:#30363d;
--ok:#56d364;--wait:#e3b341;--bad:#ff8182;--link:#79c0ff;--button:#79c0ff;--on-button:#0d1117}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:16px/1.5 system-ui,sans-serif}
header,main,footer{max-width:60rem;margin:0 auto;padding:0 1rem}
header{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1rem;padding-top:1rem}
h1{font-size:1.25rem;margin:0}
h2{font-size:1.1rem;margin:0;overflow-wrap:anywhere}
h3{font-size:1rem;margin:1rem 0 .25rem}
#summary{margin:0;flex:1 1 16rem;font-weight:600}
section{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:1rem;margin:1rem 0}
.ok{color:var(--ok)}.wait{color:var(--wait)}.bad{color:var(--bad)}
.soft{color:var(--soft);font-size:.9rem}
p{margin:.25rem 0;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.35rem .75rem .35rem 0;border-bottom:1px solid var(--line);
overflow-wrap:anywhere}
tr:last-child>*{border-bottom:0}
.fixed{white-space:nowrap;font-variant-numeric:tabular-nums}
td:not(.fixed){min-width:7rem}
th{font-weight:600}
thead th{color:var(--soft);font-size:.9rem}
ol{list-style:none;margin:.5rem 0 0;padding:0}
li{display:grid;grid-template-columns:11rem 1fr;gap:0 1rem;padding:.35rem 0;border-top:1px solid var(--line);
overflow-wrap:anywhere}
button{font:inherit;font-weight:600;color:var(--on-button);background:var(--button);border:0;border-radius:.4rem;
padding:.4rem .9rem;cursor:pointer}
button:focus-visible,a:focus-visible,summary:focus-visible{outline:3px solid var(--link);outline-offset:2px}
a{color:var(--link)}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--card);padding:.5rem}
footer{padding:1rem;color:var(--soft);font-size:.9rem;overflow-wrap:anywhere}
@media (max-width:40rem){thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
tr{display:block;padding:.4rem 0;border-bottom:1px solid var(--line)}tr:last-child{border-bottom:0}
th,td{display:block;border:0;padding:.1rem 0}.fixed{white-space:normal}
td[data-label]::before{content:attr(data-label) ": ";color:var(--soft)}
li{grid-template-columns:1fr}}
`
