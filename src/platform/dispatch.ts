import type { Dispatcher } from 'undici'
import type { HttpOutcome, HttpRequest } from '../ports/http.ts'
import { answered, type ExchangeContext, flat, readUpTo, unreached } from './http-outcome.ts'

/** One exchange through a dispatcher of its own, which is gone after it. */
export async function dispatched(
  dispatcher: Dispatcher,
  request: HttpRequest,
  signal: AbortSignal,
  about: ExchangeContext,
): Promise<HttpOutcome> {
  const { origin, pathname, search } = new URL(request.url)
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(request.responseTimeout)])
  // undici hears a signal only once it is connected: a look-up that hangs would outlast every deadline.
  const giveUp = (): void => void dispatcher.destroy(deadline.reason as Error).catch(() => undefined)
  deadline.addEventListener('abort', giveUp)
  try {
    const answer = await dispatcher.request({
      origin,
      method: request.method ?? 'GET',
      ...(request.body !== undefined && { body: request.body }),
      path: `${pathname}${search}`,
      headers: { ...request.headers },
      signal: deadline,
      reset: true,
    })
    const body = await readUpTo(answer.body, request.maxBodyBytes + 1)
    return answered({ status: answer.statusCode, headers: flat(answer.headers) }, body, deadline, about)
  } catch (error) {
    return unreached(error, about)
  } finally {
    deadline.removeEventListener('abort', giveUp)
    await dispatcher.destroy().catch(() => undefined)
  }
}
