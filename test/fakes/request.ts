import { minutes } from '../../src/shared/base/time.ts'
import type { HttpRequest } from '../../src/shared/ports/http.ts'

export const never = new AbortController().signal
/** Its time is never over in a test that gives it no other. */
export const request = (url: string, over: Partial<HttpRequest> = {}): HttpRequest => ({
  url,
  headers: { 'user-agent': 'Holdfast test/1-1' },
  maxBodyBytes: 1000,
  connectTimeout: minutes(10),
  responseTimeout: minutes(10),
  ...over,
})
