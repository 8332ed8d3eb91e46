import { seconds } from '../../src/base/time.ts'
import type { HttpRequest } from '../../src/ports/http.ts'

export const never = new AbortController().signal
export const request = (url: string, over: Partial<HttpRequest> = {}): HttpRequest => ({
  url,
  headers: { 'user-agent': 'Holdfast test/1-1' },
  longestBody: 1000,
  connectWithin: seconds(2),
  answerWithin: seconds(2),
  ...over,
})
