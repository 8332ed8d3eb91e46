/** What a body may be: JSON of a sane size and shape, each member once. */
const MAX_DEPTH = 32

export type ParsedJson = { readonly value: unknown } | { readonly fault: string }

/** JSON, strictly: RFC 8259 leaves open what a member that comes twice means, and somebody else may have checked the other. */
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

/** Walks over text that is known to be JSON: strings, brackets, colons and commas are all that matters. */
function faultIn(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  let last = ''
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:]/gsu)) {
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (token === ':') {
      const key = JSON.parse(last) as string
      const keys = open.at(-1)
      if (key === '__proto__') return 'a member is called __proto__'
      if (keys?.has(key) === true) return `the member ${key.slice(0, 60)} is there twice`
      keys?.add(key)
    } else last = token
    if (open.length > MAX_DEPTH) return `the body is nested deeper than ${MAX_DEPTH}`
  }
  return undefined
}
