import { clockBy, steadyClock, systemClocks, systemEntropy, systemRandom } from '../platform/clock/clock.ts'
import { systemFiles } from '../platform/files/files.ts'
import { serviceHttp } from '../platform/http/service.ts'
import { acquireLock } from '../platform/process/lock.ts'
import { askControl, serveControl } from '../platform/sockets/control.ts'
import type { SystemPorts } from '../ports/system.ts'

/** The ports of this host. What few commands need is loaded when it is used. */
export const systemPorts = (): SystemPorts => ({
  clocks: systemClocks(),
  steady: steadyClock,
  clockBy,
  random: systemRandom,
  entropy: systemEntropy,
  files: systemFiles,
  http: serviceHttp,
  hook: async (...about) => (await import('../platform/process/hook.ts')).runHook(...about),
  mail: async (...about) => (await import('../platform/mail/smtp.ts')).sendMail(...about),
  acquireLock,
  askControl,
  serveControl,
  questions: async () => (await import('./system-questions.ts')).QUESTION_PORTS,
  network: async () => (await import('./system-network.ts')).NETWORK_PORTS,
})
