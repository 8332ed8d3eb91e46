/** What a browser says of the page that sends a request; see RFC 6454 and the Fetch Metadata request headers. */
export interface RequestOrigin {
  readonly host: string | undefined
  readonly origin: string | undefined
  /** Sec-Fetch-Site. */
  readonly fetchSite: string | undefined
}

/** Whether a request that acts comes from the page itself, and not from another page in the same browser. */
export function isSameOrigin({ host, origin, fetchSite }: RequestOrigin): boolean {
  if (fetchSite !== undefined) return fetchSite === 'same-origin'
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === host
}
