/**
 * Reasons to look at the sources again. A hint is never a fact: every hint leads to the same questions (decision 0014).
 * `plain`: the router alone can answer it. `doubt`: it may be right where the router still reports the previous address,
 * so the router alone does not answer it. No other host of the link can cause one. `line`: a doubt that also
 * restarts a running round, because its answers belong to another line.
 */
// biome-ignore format: a table
export const HINTS = {
  kernel:            { kind: 'plain',     text: 'the kernel reported a changed address or route' },
  'router-event':    { kind: 'plain',     text: 'the router sent a UPnP event' },
  'router-differs':  { kind: 'plain',     text: 'the answer of the router changed' },
  'outside-differs': { kind: 'doubt',     text: 'the answer of an outside source changed' },
  'probe-lost':      { kind: 'doubt',     text: 'the router no longer accepts packets to the public address' },
  line:              { kind: 'line',      text: 'another line of this host is published' },
  wake:              { kind: 'doubt',     text: 'this host woke from sleep' },
  poke:              { kind: 'doubt',     text: 'a check was requested' },
} as const

export type Hint = keyof typeof HINTS
