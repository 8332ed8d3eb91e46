import { STYLE } from '../../shared/html/style.ts'

/** The style of the page of the daemon. */
export const PAGE_STYLE = `${STYLE}header,main,footer{max-width:var(--width);margin:0 auto;padding:0 var(--space-m)}
header{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:var(--space-s) var(--space-m);
padding-top:var(--space-m)}
header h1{display:flex;align-items:center;gap:var(--space-s);font-size:var(--text-l)}
#offline{flex:1 1 100%;margin:0;padding:var(--space-s) var(--space-m);border:2px solid var(--bad);
border-radius:var(--radius);font-weight:600}
section,details.card{background:var(--card);border:1px solid var(--line);border-radius:var(--radius);
padding:var(--space-m);margin:var(--space-m) 0}
details.card>summary h2{display:inline;margin-right:var(--space-s)}
section>:last-child,details>:last-child{margin-bottom:0}
[id^=times]:empty{display:none}
details.card[open]>summary{margin-bottom:var(--space-s)}
.address{font:600 var(--text-xl)/1.2 var(--mono);margin:0;letter-spacing:-.02em}
.address+.address{font-size:clamp(.95rem,4vw,1.5rem)}
#leads{font-size:var(--text-l);font-weight:600;margin:var(--space-s) 0 0}
.attention li{padding:var(--space-xs) 0}
.attention li+li{border-top:1px solid var(--line)}
#accounts>details.card{margin:var(--space-s) 0;padding:var(--space-s) var(--space-m)}
ol li{display:grid;grid-template-columns:11rem 1fr;gap:0 var(--space-m);padding:.35rem 0;border-top:1px solid var(--line);
overflow-wrap:anywhere}
footer{padding:var(--space-m);color:var(--soft);font-size:var(--text-s);overflow-wrap:anywhere}
.silent main{opacity:.55}.silent #summary{visibility:hidden}
header form{margin-left:auto}
form{margin:var(--space-s) 0}
@media (max-width:40rem){ol li{grid-template-columns:1fr}}
`
