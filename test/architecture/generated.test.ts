import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { generated } from '../../.build/generated.ts'
import { formatInstant } from '../../src/shared/base/time.ts'
import { ACCOUNT_SETTINGS, CLIENT_SETTINGS } from '../../src/client/settings/client-settings.ts'
import { parseDocument } from '../../src/shared/settings/document.ts'
import { readClientConfig } from '../../src/client/settings/read-client.ts'
import { readServiceConfig } from '../../src/service/settings/read-service.ts'
import { SERVICE_SETTINGS } from '../../src/service/settings/service-settings.ts'
import { fileKeyOf, type SettingTable } from '../../src/shared/settings/setting.ts'
import { RELEASED } from '../../src/shared/platform/clock/release-date.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

it.each([...(await generated(read))])('%s is what the tables say; run npm run generate', (path, text) =>
  expect(read(path)).toBe(text),
)

/** The file with the comment signs taken off its settings: everything that it offers, switched on. */
const switchedOn = (text: string): string => text.replace(/^#(?=[a-z_]+ = |\[\[)/gm, '')

describe('config/holdfast.toml', () => {
  const check = (text: string) =>
    readClientConfig({
      flags: {},
      environment: {},
      chosen: [],
      file: { name: 'holdfast.toml', document: parseDocument(text, 'holdfast.toml') },
    })

  it('is in order as it ships', () => expect(check(read('config/holdfast.toml'))).toMatchObject({ ok: true }))

  it('offers every setting once, with its default, and each is accepted', () => {
    const keys = [...Object.keys(CLIENT_SETTINGS), ...Object.keys(ACCOUNT_SETTINGS)].map(fileKeyOf)
    const offered = [...read('config/holdfast.toml').matchAll(/^#?([a-z0-9_]+) = /gm)].map(
      ([, key = '']) => key,
    )
    expect([...new Set(offered)].toSorted()).toEqual(keys.toSorted())

    const all = switchedOn(read('config/holdfast.toml')).replaceAll(/^(password|api_key) = .*$/gm, '')
    const config = check(all)
    expect(config.ok ? [] : config.error).toEqual([])
    const plain = check(read('config/holdfast.toml'))
    for (const [key, { fallback }] of Object.entries<SettingTable[string]>(CLIENT_SETTINGS))
      if (fallback !== undefined && config.ok && plain.ok && key !== 'allow')
        expect(config.value[key as 'interval']).toEqual(plain.value[key as 'interval'])
  })
})

describe('config/service.toml', () => {
  const check = (text: string) =>
    readServiceConfig({
      flags: {},
      environment: {},
      file: { name: 'service.toml', document: parseDocument(text, 'service.toml') },
    })

  it('is in order as it ships, on the three ports of the protocol', () => {
    const config = check(read('config/service.toml'))

    expect(
      config.ok
        ? config.value.listen.map(({ port, isTls }) => `${port}${isTls ? ' TLS' : ''}`)
        : config.error,
    ).toEqual(['80', '443 TLS', '8245'])
  })

  it('offers every setting, and each is accepted', () => {
    const text = read('config/service.toml')
    const offered = [...text.matchAll(/^#?([a-z0-9_]+) = /gm)].map(([, key = '']) => key)

    expect([...new Set(offered)].toSorted()).toEqual(Object.keys(SERVICE_SETTINGS).map(fileKeyOf).toSorted())
    const config = check(switchedOn(text))
    expect(config.ok ? [] : config.error).toEqual([])
  })
})

describe('the package', () => {
  const manifest = JSON.parse(read('package.json')) as { version: string; scripts: Record<string, string> }

  it('locks one version of Node for x64 and arm64', () => {
    const lock = JSON.parse(read('package-lock.json')) as {
      packages: Record<
        string,
        { version?: string; integrity?: string; hasInstallScript?: boolean; os?: string[]; cpu?: string[] }
      >
    }
    const nodes = ['x64', 'arm64'].map((cpu) => lock.packages[`node_modules/node-linux-${cpu}`])

    expect(new Set(nodes.map((node) => node?.version)).size).toBe(1)
    for (const node of nodes)
      expect([node?.integrity, node?.hasInstallScript]).toEqual([
        expect.stringMatching(/^sha512-/) as string,
        undefined,
      ])
  })

  it('locks nothing that names a place', () =>
    expect(read('package-lock.json')).not.toMatch(/"resolved": "http/))

  it('has a change log entry for its version, with the date in the program', () =>
    expect(read('CHANGELOG.md')).toContain(
      `## ${manifest.version} (${formatInstant(RELEASED).slice(0, 10)})`,
    ))
})
