declare const canonical: unique symbol
/** A host name in its canonical form: lower case, no trailing dot. */
type Hostname = string & { readonly [canonical]: 'hostname' }

/** RFC 1035 §2.3.4 and RFC 1123 §2.1. Also accepts underscores (RFC 8552) and one leading wildcard label (RFC 4592). */
export function parseHostname(text: string): Hostname | undefined {
  const name = text.toLowerCase().replace(/\.$/, '')
  const labels = name.split('.')
  const isWellFormed =
    name.length <= 253 && labels.length >= 2 && labels.every((label, at) => isLabel(label, at))
  return isWellFormed ? (name as Hostname) : undefined
}

const isLabel = (label: string, at: number): boolean =>
  (at === 0 && label === '*') || /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label)

/** Whether the `hostname` parameter of the protocol may list this text: a host name, or the single label of a group. */
export const isListable = (text: string): boolean =>
  parseHostname(text) !== undefined || /^[A-Za-z0-9_@][A-Za-z0-9_.@-]{0,62}$/.test(text)
