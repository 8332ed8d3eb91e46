/**
 * Fetch §3.2: headers for the origins that the operator allows. Without
 * them a browser withholds the response from the page.
 */
export const corsHeaders = (
  allowed: readonly string[],
  origin: string | undefined,
): Readonly<Record<string, string>> =>
  origin !== undefined && allowed.includes(origin.toLowerCase())
    ? {
        'access-control-allow-origin': origin,
        'access-control-expose-headers': 'etag, created-labels, retry-after',
        vary: 'origin',
      }
    : {}

export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': 'authorization, content-type, if-match, if-none-match',
  'access-control-max-age': '600',
} as const
