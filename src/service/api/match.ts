import { asciiName } from '../model/idn.ts'
import type { Method, Route } from './route.ts'
import { ROUTES } from './routes.ts'

/** The operation of a request, with the values in its path as they are sent. */
export interface Match {
  readonly name: string
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

const PATTERNS = Object.entries(ROUTES).map(([name, route]: [string, Route]) => ({
  name,
  route,
  pattern: new RegExp(`^/v1${route.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}/?$`),
}))

/** The route, or the methods of this path. */
export function findRoute(method: string, path: string): Match | readonly Method[] {
  const matching = PATTERNS.flatMap(({ name, route, pattern }) => {
    const match = pattern.exec(path)
    return match === null ? [] : [{ name, route, params: { ...match.groups } }]
  })
  const exact = matching.find(({ route }) => route.method === method)
  return exact ?? matching.map(({ route }) => route.method)
}

const NAME_PARAMS: ReadonlySet<string> = new Set(['zone_name', 'name'])

/** Decodes percent-encoding, and writes names in ASCII; undefined if it is invalid. */
export function decodedParams(
  params: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | undefined {
  try {
    return Object.fromEntries(
      Object.entries(params).map(([key, value]) => {
        const text = decodeURIComponent(value)
        if (text.includes('\0')) throw new URIError('no name contains U+0000')
        return [key, NAME_PARAMS.has(key) ? asciiName(text) : text]
      }),
    )
  } catch {
    return undefined
  }
}
