import type { HttpRequest, OutgoingRequest } from '../../ports/http.ts'

/** The request as it is sent, with its secrets. Nothing but the port sees it, so that nothing can show it. */
export const toWire = ({ url, headers, ...rest }: OutgoingRequest): HttpRequest => ({
  ...rest,
  url: url.reveal(),
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : value.reveal(),
    ]),
  ),
})
