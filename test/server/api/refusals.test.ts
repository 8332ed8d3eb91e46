import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ERRORS } from '../../../src/server/errors/errors.ts'
import { apiWorld, prepare } from './world.ts'

/** Every pair of operation and code, transcribed from the specification. */
const [, ...ROWS] = readFileSync(join(import.meta.dirname, '../../spec/refusals.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [operation = '', code = '', status = '', method = '', path = '', body = '', setup = ''] =
      line.split('\t')
    return { operation, code, status: Number(status), method, path, body, setup }
  })

const produced = new Set<string>()

describe('every refusal that an operation may give is given', () => {
  it.each(ROWS)(
    '$operation $code: $method $path $body ($setup)',
    async ({ operation, code, status, method, path, body, setup }) => {
      const world = await apiWorld()
      try {
        const words = setup.split(' ').filter((word) => word !== '')
        for (const word of words) await prepare(world, word)
        const key = words.includes('anonymous')
          ? null
          : words.includes('readonly-key')
            ? 'reader-of-a'
            : 'key-of-a'
        const before = words.includes('anonymous') ? undefined : await dump(world)

        const reply = await world.ask(method, path, body === '' ? undefined : body, key)

        expect(
          [reply.status, reply.body.errors?.map((error) => error.code)],
          JSON.stringify(reply.body),
        ).toEqual([status, expect.arrayContaining([code])])
        expect(reply.body.errors?.[0]?.code).toBe(code)
        produced.add(`${operation} ${code}`)
        if (before !== undefined) expect(await dump(world)).toBe(before) // what is refused changes nothing
      } finally {
        await world.close()
      }
    },
  )

  afterAll(() => {
    const wanted = new Set(ROWS.map(({ operation, code }) => `${operation} ${code}`))
    const codes = new Set(ROWS.map(({ code }) => code))
    console.log(
      `\nrefusals: ${produced.size} of ${wanted.size} pairs of operation and code, ${codes.size} of ${Object.keys(ERRORS).length} codes\n`,
    )
  })

  it('has every code of the table', () => {
    const codes = new Set(ROWS.map(({ code }) => code))
    expect(
      Object.values(ERRORS)
        .map(({ code }) => String(code))
        .filter((code) => !codes.has(code)),
    ).toEqual([])
  })
})

const dump = async ({ ask }: Awaited<ReturnType<typeof apiWorld>>): Promise<string> =>
  JSON.stringify((await ask('GET', '/v1/dns/records?view=detail&limit=500&expand[]=offline_settings')).body)
