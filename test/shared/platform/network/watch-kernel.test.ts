import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../../eventually.ts'

const MODULE = join(import.meta.dirname, '../../../../src/shared/platform/network/watch-kernel.ts')
const SCRIPT = `import(${JSON.stringify(MODULE)}).then(({ watchKernel }) => {
  watchKernel(() => console.log('changed'), () => console.log('missing'))
  setInterval(() => undefined, 1000)
  console.log('begun')
})`

const which = (program: string): string | undefined => {
  const { status, stdout } = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

/** Runs watchKernel in a new network namespace, with only these programs in PATH. */
function watching(programs: readonly string[]): { readonly child: ChildProcess; readonly lines: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-watch-'))
  for (const program of programs) symlinkSync(which(program) ?? '', join(folder, program))
  // unshare(1) executes Node, so the pid is that of Node.
  const child = spawn(which('unshare') ?? '', ['--net', process.execPath, '--no-warnings', '-e', SCRIPT], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: folder },
  })
  onTestFinished(() => {
    const monitor = child.signalCode === null ? childOf(child.pid) : undefined
    if (monitor !== undefined) process.kill(monitor, 'SIGKILL') // without setpriv, nothing else ends it
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  return { child, lines }
}

const childOf = (pid: number | undefined): number | undefined =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()) || undefined
const nameOf = (pid: number | undefined): string =>
  existsSync(`/proc/${pid}/comm`) ? readFileSync(`/proc/${pid}/comm`, 'utf8').trim() : ''

const canWatch =
  spawnSync('unshare', ['--net', 'true']).status === 0 &&
  which('ip') !== undefined &&
  which('nsenter') !== undefined

describe.skipIf(!canWatch)('watchKernel', () => {
  const change = (child: ChildProcess, state: 'up' | 'down'): void =>
    void execFileSync('nsenter', [`--net=/proc/${child.pid}/ns/net`, 'ip', 'link', 'set', 'lo', state])

  it.each([
    ['with setpriv', ['ip', 'setpriv']],
    ['without setpriv', ['ip']],
  ])('calls back after a change, %s', async (_, programs) => {
    const { child, lines } = watching(programs)
    await eventually(() => lines).toContain('begun')
    await eventually(() => nameOf(childOf(child.pid))).toBe('ip')
    // It says nothing when it has begun to listen.
    let state: 'up' | 'down' = 'down'
    await eventually(() => {
      state = state === 'up' ? 'down' : 'up'
      change(child, state)
      return lines
    }, 300).toContain('changed')
    expect(lines).not.toContain('missing')
  })

  it('reports once that it is unavailable where there is no ip program', async () => {
    const { lines } = watching(['setpriv'])
    await eventually(() => lines).toContain('missing')
    await sleep(500)

    expect(lines).toEqual(['begun', 'missing'])
  })

  it('leaves no process behind when its own process is killed', async () => {
    const { child, lines } = watching(['ip', 'setpriv'])
    await eventually(() => lines).toContain('begun')
    await eventually(() => nameOf(childOf(child.pid))).toBe('ip')
    const monitor = childOf(child.pid)

    child.kill('SIGKILL')

    await eventually(() => nameOf(monitor)).toBe('')
  })
})
