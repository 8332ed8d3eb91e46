import type { Dispatcher } from 'undici'
import type { HttpOutcome, HttpRequest } from '../../ports/http.ts'
import { answered, type ExchangeContext, flatHeaders, readUpTo, unreached } from './outcome.ts'
import { timeoutSignal } from '../clock/timeout-signal.ts'

/** One exchange through a dispatcher, which is destroyed at the end. */
export async function dispatchRequest(
  dispatcher: Dispatcher,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpOutcome> {
  const context: ExchangeContext = { url: request.url }
  const { origin, pathname, search } = new URL(request.url)
  const deadline = AbortSignal.any([signal, timeoutSignal(request.responseTimeout)])
  // undici observes a signal only after it has connected, so a DNS lookup that hangs would outlast the deadline.
  const giveUp = (): void => void dispatcher.destroy(deadline.reason as Error).catch(() => undefined)
  deadline.addEventListener('abort', giveUp)
  try {
    const response = await dispatcher.request({
      origin,
      method: request.method ?? 'GET',
      ...(request.body !== undefined && { body: request.body }),
      path: `${pathname}${search}`,
      headers: { ...request.headers },
      signal: deadline,
      reset: true,
    })
    const body = await readUpTo(response.body, request.maxBodyBytes + 1)
    const head = { status: response.statusCode, headers: flatHeaders(response.headers) }
    return answered({ ...head, ...body }, deadline, context)
  } catch (error) {
    return unreached(error, context)
  } finally {
    deadline.removeEventListener('abort', giveUp)
    await dispatcher.destroy().catch(() => undefined)
  }
}
