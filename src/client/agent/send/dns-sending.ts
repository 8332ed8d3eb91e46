import type { DnsSending } from './dns-exchange.ts'
import { askNameServerBy } from './name-server.ts'
import { newQueryId } from '../../../shared/dns/question.ts'
import type { Log } from '../../../shared/ports/log.ts'
import type { SystemPorts } from '../../../shared/ports/system.ts'
import { tracedDns } from './trace.ts'

export const dnsSendingOf = (
  log: Log,
  { questions, clocks, entropy }: Pick<SystemPorts, 'questions' | 'clocks' | 'entropy'>,
): DnsSending => ({
  ask: tracedDns(log, askNameServerBy(questions)),
  wall: () => clocks().wall,
  newId: () => newQueryId(entropy),
})
