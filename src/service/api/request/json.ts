/** Of nested objects and arrays. */
const MAX_DEPTH = 32

type ParsedJson = { readonly value: unknown } | { readonly fault: string }

/**
 * Strict JSON: duplicate members are refused, because RFC 8259 does not define
 * which one counts and a proxy may have checked the other.
 */
export function parseJson(text: string): ParsedJson {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { fault: 'the body is not JSON' }
  }
  const fault = faultIn(text)
  return fault === undefined ? { value } : { fault }
}

/** Scans the strings, brackets and colons of valid JSON. */
function faultIn(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  let last = ''
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:]/gsu)) {
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (token !== ':') last = token
    const fault = token === ':' ? memberFault(JSON.parse(last) as string, open.at(-1)) : undefined
    if (fault !== undefined) return fault
    if (open.length > MAX_DEPTH) return `the body is nested deeper than ${MAX_DEPTH}`
  }
  return undefined
}

function memberFault(key: string, keys: Set<string> | undefined): string | undefined {
  if (key === '__proto__') return 'a member is called __proto__'
  if (keys?.has(key) === true) return `duplicate member ${key.slice(0, 60)}`
  keys?.add(key)
  return undefined
}
