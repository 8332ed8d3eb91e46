import { describe, expect, it } from 'vitest'
import {
  ACCOUNT_SETTINGS,
  CLIENT_SETTINGS,
  HOST_SETTINGS,
} from '../../src/client/settings/client-settings.ts'
import { SERVICE_SETTINGS } from '../../src/service/settings/service-settings.ts'
import { roomOf } from './rooms.ts'
import { FILES } from './sources.ts'

/** What people can do or see, by the files that have its name. The rooms of the shared ground count as one. */
// biome-ignore format: a table
const FEATURES: readonly (readonly [feature: string, files: RegExp])[] = [
  ['notifications',       /^(client|shared)\/.*(notif|webhook|deliver|\/hook\.ts|smtp|ports\/mail)/],
  ['detection',           /^client\/.*(detect|sources\/|watch\/|survey)|^shared\/(ports|platform\/network)\/(interfaces|network|watch-kernel|outbound-route)/],
  ['the page',            /^client\/.*page/],
  ['verification',        /^client\/.*verif/],
  ['import',              /^client\/.*(migration|import)/],
  ['init',                /^client\/.*(init\/|setup\/(?!migration|systemd))/],
  ['the unit of systemd', /^client\/.*(systemd|commands\/service\.ts|start-client)/],
  ['resume',              /^client\/.*resume/],
  ['publishing',          /^service\/.*publish/],
  ['zone files',          /^service\/.*(zone-file|zone-import|zone-export|master-file)/],
  ['TSIG keys',           /tsig-key/],
  ['the trail',           /^service\/.*trail/],
  ['second factors',      /^service\/.*(factor|totp|passkey)/],
  ['sessions',            /^service\/.*session/],
  ['offline names',       /^service\/.*offline/],
  ['proof of zones',      /^service\/.*proofs?\.ts/],
  ['ACME',                /^service\/.*(acme|when-served)/],
  ['backup',              /^service\/.*(backup|restore|store-copies)/],
  ['operators',           /^service\/.*(operator|operate)/],
]
/** One feature is readable in this many rooms. */
const MAX_ROOMS = 4

const roomsOf = (pattern: RegExp): readonly string[] => [
  ...new Set(
    FILES.flatMap(({ path }) => (pattern.test(path) ? [roomOf(path).replace(/^shared\/.*/, 'shared')] : [])),
  ),
]

describe('a feature', () => {
  it.each(FEATURES)('%s is in at most four rooms, and is there', (_, pattern) => {
    const rooms = roomsOf(pattern)
    expect(rooms.length).toBeGreaterThan(0)
    expect(rooms.slice(MAX_ROOMS), rooms.join(' ')).toEqual([])
  })
})

describe('a setting', () => {
  const TABLES = /\/settings\/[a-z-]*settings\.ts$/
  const readers = FILES.filter(({ path }) => !TABLES.test(path))
    .map(({ text }) => text)
    .join('\n')
  const settings = { ...ACCOUNT_SETTINGS, ...CLIENT_SETTINGS, ...HOST_SETTINGS, ...SERVICE_SETTINGS }

  it.each(Object.keys(settings))('%s is read outside the table of settings', (key) =>
    expect(new RegExp(`\\b${key}\\b`).test(readers)).toBe(true),
  )
})

describe('a metric', () => {
  const METRICS = 'service/program/service-metrics.ts'
  const { text = '' } = FILES.find(({ path }) => path === METRICS) ?? {}
  const members = [
    ...(/export interface ServiceMetrics \{[^]*?\n\}/.exec(text)?.[0] ?? '').matchAll(/^ {2}(\w+)\(/gm),
  ].map(([, name = '']) => name)

  it('of the service has members', () => expect(members.length).toBeGreaterThan(8))

  it.each(members)('%s of the service gets its value somewhere', (member) => {
    const caller = new RegExp(
      `[mM]etrics\\??\\.${member}\\b|\\b${member}: metrics|\\{[^}]*\\b${member}\\b[^}]*\\}[^\\n]*[mM]etrics`,
    )
    const places = FILES.filter((file) => caller.test(file.text)).map(({ path }) => path)
    expect(places).not.toEqual([])
  })

  it('each instrument of the service is written by a member', () => {
    const table = /const instruments = \(\) => \(\{[^]*?\n\}\)/.exec(text)?.[0] ?? ''
    const names = [...table.matchAll(/^ {2}(\w+):/gm)].map(([, name = '']) => name)
    expect(names.length).toBeGreaterThan(5)
    expect(names.filter((name) => !new RegExp(`\\b${name}\\.(add|observe)\\(`).test(text))).toEqual([])
  })
})
