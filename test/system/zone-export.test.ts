import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseMasterFile } from '../../src/service/model/master-file/records.ts'
import { apiWorld, type World } from '../service/api/world.ts'
import { lacks } from '../lacks.ts'

const ZONE = 'example.test'
/** One line for each type, and what needs care in a file. */
const ADDED = String.raw`
@ 300 IN MX 10 mail
@ 300 IN CAA 0 issue "ca.example; account=1"
mail 300 IN A 192.0.2.25
mail 300 IN AAAA 2001:db8::25
text 300 IN TXT "a;b" "\"(\\\233" ""
_sip._tcp 60 IN SRV 0 5 5060 mail
*.wild 60 IN A 192.0.2.77
wild 60 IN TXT "needed by the wildcard"
h 60 IN HTTPS 1 . mandatory=dohpath alpn="h2,h3" dohpath=/q{?dns}
place 60 IN LOC 52 22 23 N 4 53 32 E -2m 1m 10000m 10m
sub 3600 IN NS ns.other.test.
sub 3600 IN DS 1 8 2 ${'00'.repeat(32)}
ptr 60 IN PTR mail
`

let world: World
let folder = ''
beforeAll(async () => {
  world = await apiWorld()
  folder = mkdtempSync(join(tmpdir(), 'holdfast-compiled-'))
})
afterAll(async () => {
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

const at = `/v1/dns/zones/${ZONE}`
const exported = async (): Promise<string> =>
  (await world.ask('GET', `${at}/export`)).body as unknown as string
const recordsIn = (text: string): readonly string[] => {
  const parsed = parseMasterFile(text.split('\n'), ZONE)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error))
  return parsed.value.map(({ name, ttl, dnsType, value }) => `${name} ${ttl} ${dnsType} ${value}`).toSorted()
}

describe.skipIf(lacks('named-compilezone'))('named-compilezone', () => {
  it('reads an export, and gives back equal records, which are no change of the zone', async () => {
    const made = await world.ask('POST', `${at}/import`, `${await exported()}${ADDED}`)
    expect([made.status, made.body.errors]).toEqual([202, undefined])
    const text = await exported()
    const [file, output] = [join(folder, 'zone'), join(folder, 'compiled')]
    writeFileSync(file, text)
    const compiled = spawnSync('named-compilezone', ['-i', 'none', '-s', 'full', '-o', output, ZONE, file], {
      encoding: 'utf8',
    })
    expect([compiled.status, compiled.stdout]).toEqual([0, expect.stringContaining('OK')])

    const given = readFileSync(output, 'utf8')
    expect(recordsIn(given)).toEqual(recordsIn(text))
    expect(recordsIn(text).length).toBeGreaterThan(20)
    const preview = await world.ask('POST', `${at}/import?dry_run=true`, given)
    expect(preview.body.data).toMatchObject({ new: 0, changed: 0, removed: 0, refused: [] })
  })
})
