import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { longBodyLimit, MAX_BODY_BYTES } from './limits.ts'

/** RFC 9112 §3.2.2: the absolute form, which proxies send, is the same resource. */
export function targetParts(target: string): readonly [path: string, query: string] {
  const origin = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '')
  const at = origin.indexOf('?')
  return at < 0 ? [origin, ''] : [origin.slice(0, at), origin.slice(at + 1)]
}

/** RFC 9112 §6: one of these headers signals a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

const limitOf = ({ method = '', url = '' }: IncomingMessage): number =>
  longBodyLimit(method, targetParts(url)[0]) ?? MAX_BODY_BYTES
export const isTooLong = (request: IncomingMessage): boolean =>
  Number(request.headers['content-length'] ?? 0) > limitOf(request)

/** RFC 8259 §8.1: JSON is UTF-8. Other octets become a text that is no JSON, so that none is replaced silently. */
const textOf = (bytes: Buffer): string => (isUtf8(bytes) ? bytes.toString('utf8') : '\ufffd')

export async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const parts = await partsOfBody(request, MAX_BODY_BYTES)
  return parts && textOf(Buffer.concat(parts))
}

/** Undefined if it is too large. The rest is read and discarded. */
async function partsOfBody(
  request: IncomingMessage,
  limit: number,
): Promise<readonly Uint8Array[] | undefined> {
  const parts: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk as Uint8Array)
    length += bytes.length
    if (length <= limit) parts.push(bytes)
  }
  return length > limit ? undefined : parts
}

export const longBodyOf = async (
  request: IncomingMessage,
  limit: number,
): Promise<readonly Uint8Array[] | undefined> =>
  // Without a client there is no response.
  isTooLong(request) ? undefined : partsOfBody(request, limit).catch(() => undefined)

/** Discards an unused body, up to a limit, so that the connection can be reused. */
export function drain(request: IncomingMessage): void {
  let length = 0
  const limit = limitOf(request)
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > limit) request.destroy()
  })
}
