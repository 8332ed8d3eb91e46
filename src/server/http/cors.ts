/** Fetch, §3.2: only origins that the operator named; a page of another origin gets no header, and so no answer. */
export const corsHeaders = (
  allowed: readonly string[],
  origin: string | undefined,
): Readonly<Record<string, string>> =>
  origin !== undefined && allowed.includes(origin.toLowerCase())
    ? { 'access-control-allow-origin': origin, vary: 'origin' }
    : {}

export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, POST, PUT, DELETE',
  'access-control-allow-headers': 'authorization, content-type',
  'access-control-max-age': '600',
} as const
