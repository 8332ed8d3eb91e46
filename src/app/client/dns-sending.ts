import type { DnsSending } from '../../client/send/dns-exchange.ts'
import { askNameServerBy } from '../../client/send/name-server.ts'
import { newQueryId } from '../../dns/question.ts'
import type { Log } from '../../ports/log.ts'
import type { SystemPorts } from '../../ports/system.ts'
import { tracedDns } from './http-trace.ts'

export const dnsSendingOf = (
  log: Log,
  { questions, clocks, entropy }: Pick<SystemPorts, 'questions' | 'clocks' | 'entropy'>,
): DnsSending => ({
  ask: tracedDns(log, askNameServerBy(questions)),
  wall: () => clocks().wall,
  newId: () => newQueryId(entropy),
})
