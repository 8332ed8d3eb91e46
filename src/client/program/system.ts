import {
  clockBy,
  steadyClock,
  systemClocks,
  systemEntropy,
  systemRandom,
} from '../../shared/platform/clock/clock.ts'
import { systemFiles } from '../../shared/platform/files/files.ts'
import { serviceHttp } from '../../shared/platform/http/service.ts'
import { acquireLock } from '../../shared/platform/process/lock.ts'
import { askControl, serveControl } from '../../shared/platform/sockets/control.ts'
import type { SystemPorts } from '../../shared/ports/system.ts'

/** The ports of this host. What few commands need is loaded when it is used. */
export const systemPorts = (): SystemPorts => ({
  clocks: systemClocks(),
  steady: steadyClock,
  clockBy,
  random: systemRandom,
  entropy: systemEntropy,
  files: systemFiles,
  http: serviceHttp,
  hook: async (...about) => (await import('../../shared/platform/process/hook.ts')).runHook(...about),
  mail: async (...about) => (await import('../../shared/platform/mail/smtp.ts')).sendMail(...about),
  acquireLock,
  askControl,
  serveControl,
  questions: async () => (await import('./system-questions.ts')).QUESTION_PORTS,
  network: async () => (await import('./system-network.ts')).NETWORK_PORTS,
})
