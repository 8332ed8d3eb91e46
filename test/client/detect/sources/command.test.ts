import { describe, expect, it } from 'vitest'
import { milliseconds } from '../../../../src/shared/base/time.ts'
import { commandSource } from '../../../../src/client/detect/sources/command.ts'
import { runProgram } from '../../../../src/shared/platform/network/network.ts'
import type { RunProgram } from '../../../../src/shared/ports/network.ts'
import { sourceContract } from '../../../contract/source.ts'
import { never, asking, unknown, seen, PUBLIC, ports } from './responders.ts'

describe('the command source', () => {
  const sh = (script: string) => commandSource(['sh', '-c', script], ports(), asking)
  const hasty: RunProgram = async (argv, _, signal) => runProgram(argv, milliseconds(300), signal)

  // biome-ignore format: a table
  it.each<[string, string, object, object]>([
    ['one address',             'echo 8.8.8.8',                        seen(PUBLIC, 'command'), { kind: 'none' }],
    ['one of each family',      'echo 8.8.8.8; echo 2606:4700::1',     seen(PUBLIC, 'command'), seen('2606:4700::1', 'command')],
    ['white space',             'printf "\\n  8.8.8.8\\r\\n\\n"',      seen(PUBLIC, 'command'), { kind: 'none' }],
    ['nothing',                 'true',                                { kind: 'none' }, { kind: 'none' }],
    ['two of one family',       'echo 8.8.8.8; echo 8.8.4.4',          unknown('printed two addresses of one family'), { kind: 'none' }],
    ['two on a line',           'echo 8.8.8.8 8.8.4.4',                unknown('printed "8.8.8.8 8.8.4.4", which is not an address'), unknown('printed "8.8.8.8 8.8.4.4", which is not an address')],
    ['garbage',                 'echo "<html>"',                       unknown('printed "<html>", which is not an address'), unknown('printed "<html>", which is not an address')],
    ['an address and garbage',  'echo 8.8.8.8; echo oops',             unknown('printed "oops", which is not an address'), unknown('printed "oops", which is not an address')],
    ['an address, and fails',   'echo 8.8.8.8; exit 3',                unknown('exited with code 3'), unknown('exited with code 3')],
    ['to its error output',     'echo oops >&2; echo 8.8.8.8',         seen(PUBLIC, 'command'), { kind: 'none' }],
    ['a private address',       'echo 10.0.0.1',                       { kind: 'unknown' }, { kind: 'none' }],
    ['without end',             'while :; do echo 8.8.8.8; done',      unknown('sh took too long or printed too much'), unknown('sh took too long or printed too much')],
  ])('handles output with %s', async (_, script, v4, v6) => {
    expect(await sh(script).look('v4', never)).toMatchObject(v4)
    expect(await sh(script).look('v6', never)).toMatchObject(v6)
  })
  it('passes arguments unchanged, without a shell', async () =>
    expect(
      await commandSource(['printf', '%s', '$(echo 8.8.8.8); *'], ports(), asking).look('v4', never),
    ).toEqual(unknown('printed "$(echo 8.8.8.8); *", which is not an address')))
  it('reports a missing program', async () =>
    expect(await commandSource(['/nonexistent/program'], ports(), asking).look('v4', never)).toEqual(
      unknown('/nonexistent/program cannot be run (ENOENT)'),
    ))

  // biome-ignore format: a table
  it.each([
    ['by itself',         ['sleep', '600']],
    ['in a script',       ['sh', '-c', 'sleep 600; echo 8.8.8.8']],
  ])('ends a program in time that sleeps %s', async (_, argv) => {
    expect(await commandSource(argv, { program: hasty }, asking).look('v4', never)).toEqual(
      unknown(`${argv[0]} took too long or printed too much`),
    )
  })
  it('has a timeout of ten seconds', async () => {
    const given: number[] = []
    const program: RunProgram = async (_, within) => {
      given.push(within)
      return { kind: 'failed', because: 'sh took too long' }
    }

    expect(await commandSource(['sh'], { program }, asking).look('v4', never)).toEqual(
      unknown('sh took too long'),
    )
    expect(given).toEqual([10_000])
  })

  sourceContract('a command', () => sh('echo 8.8.8.8'))
})
