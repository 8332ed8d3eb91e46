import { spawn } from 'node:child_process'
import type { Ended } from '../e2e/processes.ts'

/** In milliseconds. */
const LIMIT = 20_000

/** One run of a client. Bounded in time: each of these clients has a way of waiting for ever. */
export async function run(program: string, args: readonly string[]): Promise<Ended> {
  const child = spawn(program, args, {
    env: { PATH: `${process.env['PATH']}:/usr/sbin`, HOME: '/nonexistent' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT)
  const [out, errors]: [Buffer[], Buffer[]] = [[], []]
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
  const code = await new Promise<number | null>((done) => child.on('close', done))
  clearTimeout(limit)
  return { code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(errors).toString() }
}
