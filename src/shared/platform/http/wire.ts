import type { SecretText } from '../../base/secret-text.ts'
import type { HttpRequest, OutgoingRequest } from '../../ports/http.ts'

/** The request as it is sent, with its secrets. Nothing but the port sees it, so that nothing can show it. */
export const toWire = ({ url, headers, body, ...rest }: OutgoingRequest): HttpRequest => ({
  ...rest,
  ...(body !== undefined && { body: revealed(body) }),
  url: url.reveal(),
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, revealed(value)])),
})

const revealed = (value: string | SecretText): string => (typeof value === 'string' ? value : value.reveal())
