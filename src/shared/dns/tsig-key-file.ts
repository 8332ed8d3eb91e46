/** A key as a file has it, unchecked. */
export interface WrittenTsigKey {
  readonly name: string
  readonly secret: string | undefined
  readonly algorithm: string | undefined
}

/** The keys of a file of BIND (tsig-keygen) or Knot (keymgr); none in a text that is a secret. Comments are skipped. */
export function tsigKeysIn(text: string): readonly WrittenTsigKey[] {
  const bare = text.replaceAll(/\/\*[^]*?\*\/|(^|\s)(?:#|\/\/).*$/gm, '$1')
  const starts = [...bare.matchAll(/\bkey\s+"?([^"\s{]+)"?\s*\{|\bid:\s*["']?([^"'\s,}]+)/g)]
  return starts.map(({ index, 1: bind, 2: knot }, at) => {
    const part = bare.slice(index, starts[at + 1]?.index)
    return {
      name: bind ?? knot ?? '',
      secret: /\bsecret:?\s+["']?([A-Za-z0-9+/=]+)/.exec(part)?.[1],
      algorithm: /\balgorithm:?\s+["']?([\w.-]+)/.exec(part)?.[1],
    }
  })
}
