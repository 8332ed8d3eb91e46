/**
 * Reasons to look at the sources again. A hint is never a fact: every hint leads to the same questions (decision 0014).
 * A hint with `isDoubt` may be right where the router still reports the previous address, so the router alone does not
 * answer it.
 */
// biome-ignore format: a table
export const HINTS = {
  kernel:            { isDoubt: false, text: 'the kernel reported a changed address or route' },
  announcement:      { isDoubt: false, text: 'the router sent an announcement' },
  'router-event':    { isDoubt: false, text: 'the router sent a UPnP event' },
  'router-differs':  { isDoubt: false, text: 'the answer of the router changed' },
  'outside-differs': { isDoubt: true,  text: 'the answer of an outside source changed' },
  'probe-lost':      { isDoubt: true,  text: 'the router no longer accepts packets to the public address' },
  wake:              { isDoubt: true,  text: 'this host woke from sleep' },
  poke:              { isDoubt: true,  text: 'a check was requested' },
} as const

export type Hint = keyof typeof HINTS
