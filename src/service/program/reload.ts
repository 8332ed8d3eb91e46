import type { ServiceSettings } from '../settings/service-settings.ts'

/** What the sockets and the store are made with. */
const FIXED = [
  'listen',
  'metrics',
  'store',
  'storePasswordFile',
  'hashKeyFile',
  'storeConnections',
  'storeWait',
  'dnsListen',
  'secondaries',
  'tsigKeyFile',
  'maxConnections',
  'requestTimeout',
  'idleTimeout',
] as const

/** The settings, by their names in the file, that differ and apply only after a restart. */
export const restartNeeded = (before: ServiceSettings, next: ServiceSettings): readonly string[] =>
  FIXED.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(next[name])).map((name) =>
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  )

/** The new settings, except those that need a restart. */
export const untilRestart = (before: ServiceSettings, next: ServiceSettings): ServiceSettings => ({
  ...next,
  ...Object.fromEntries(FIXED.map((name) => [name, before[name]])),
})
