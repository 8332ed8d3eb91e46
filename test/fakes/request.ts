import { seconds } from '../../src/base/time.ts'
import type { HttpRequest } from '../../src/ports/http.ts'

export const never = new AbortController().signal
export const request = (url: string, over: Partial<HttpRequest> = {}): HttpRequest => ({
  url,
  headers: { 'user-agent': 'Holdfast test/1-1' },
  maxBodyBytes: 1000,
  connectTimeout: seconds(2),
  responseTimeout: seconds(2),
  ...over,
})
