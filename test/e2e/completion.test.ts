import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { lacks } from '../lacks.ts'
import { holdfast, scratch } from './processes.ts'

const scripts = new Map<string, string>()
beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await holdfast(['completion', shell])
    expect(code).toBe(0)
    scripts.set(shell, stdout)
  }
})

/** Runs lines in a shell, after the script; the words that it prints. */
function run(shell: string, args: readonly string[], lines: string): readonly string[] {
  const folder = scratch()
  const script = join(folder, '_holdfast')
  writeFileSync(script, scripts.get(shell) ?? '')
  const { stdout, stderr } = spawnSync(shell, [...args, lines], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      SCRIPT: script,
      XDG_CONFIG_HOME: folder,
      XDG_DATA_HOME: folder,
    },
  })
  expect(stderr).toBe('')
  return stdout.split('\n').filter((line) => line !== '')
}

describe('in bash', () => {
  const complete = (...words: readonly string[]): readonly string[] =>
    run(
      'bash',
      ['--norc', '-c'],
      `. "$SCRIPT"; COMP_WORDS=(holdfast ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`,
    )

  it('completes commands', () => {
    expect(complete('up')).toEqual(['update'])
    expect(complete('')).toEqual(
      expect.arrayContaining(['update', 'run', 'serve', 'completion', '--version']),
    )
  })

  it('completes the options of the command, and no others', () => {
    expect(complete('update', '--q')).toEqual(['--quiet'])
    expect(complete('serve', '--hostname')).toEqual([])
    expect(complete('run', '--no-wa')).toEqual(['--no-watch'])
  })

  it('completes the values of an option, and nothing where any value is right', () => {
    expect(complete('run', '--log-level', 'd')).toEqual(['debug'])
    expect(complete('update', '--provider', 'des')).toEqual(['desec', 'desec-api'])
    expect(complete('update', '--username', '')).toEqual([])
    expect(complete('update', '--config', '_hold')).toEqual(['_holdfast'])
    expect(complete('update', '-c', '_hold')).toEqual(['_holdfast'])
  })

  it('completes the argument of a command', () => {
    expect(complete('config', 's')).toEqual(['show', 'schema'])
    expect(complete('explain', 'bada')).toEqual(['badauth', 'badagent'])
    expect(complete('completion', 'z')).toEqual(['zsh'])
  })
})

describe.skipIf(lacks('fish'))('in fish', () => {
  const complete = (line: string): readonly string[] =>
    run('fish', ['--no-config', '-c'], `source $SCRIPT; complete -C ${JSON.stringify(line)}`).map(
      (one) => one.split('\t')[0] ?? '',
    )

  it('completes commands, options, values and arguments', () => {
    expect(complete('holdfast upd')).toEqual(['update'])
    expect(complete('holdfast update --qui')).toEqual(['--quiet'])
    expect(complete('holdfast serve --hostna')).toEqual([])
    expect(complete('holdfast run --log-level d')).toEqual(['debug'])
    expect(complete('holdfast config sch')).toEqual(['schema'])
    expect(complete('holdfast update --config _hold')).toEqual(['_holdfast'])
  })
})

describe.skipIf(lacks('zsh'))('in zsh', () => {
  /** What the completion functions of zsh are given. */
  const complete = (words: string, current: number): readonly string[] =>
    run(
      'zsh',
      ['-fc'],
      `compdef() {}; _describe() { print -rl -- "\${commands[@]}" }; _arguments() { print -rl -- "$@" }
       . $SCRIPT; words=(holdfast ${words}); CURRENT=${current}; _holdfast`,
    )

  it('completes commands with what they do', () =>
    expect(complete('up', 2)).toContain('update:update the hostnames once'))

  it('completes options with their values, and the argument of a command', () => {
    const update = complete('update', 3)
    expect(update).toContain('--quiet[print nothing if no request was needed and there is no problem]')
    expect(update.find((one) => one.startsWith('*--log-level='))).toMatch(/:\(trace debug info warn error\)$/)
    expect(update.find((one) => one.startsWith('*--config='))).toMatch(/:value:_files$/)
    expect(complete('config', 3)[0]).toBe('2:word:(check show schema)')
  })

  it('is accepted by its own completion system', () =>
    expect(
      run(
        'zsh',
        ['-fc'],
        'fpath=(${SCRIPT:h} $fpath); autoload -Uz compinit; compinit -u -D; print $_comps[holdfast]',
      ),
    ).toEqual(['_holdfast']))
})

describe('short options', () => {
  const show = async (...words: readonly string[]) =>
    holdfast(['config', 'show', '--json', ...words], {
      env: {
        HOLDFAST_PASSWORD: 'p',
        HOLDFAST_USERNAME: 'u',
        HOLDFAST_SERVER: 'dyn.test',
        HOLDFAST_HOSTNAMES: 'a.test',
      },
    })

  it('-v is --log-level debug', async () =>
    expect(JSON.parse((await show('-v')).stdout)).toMatchObject({ log_level: 'debug' }))

  it('-c reads a configuration file', async () => {
    const file = join(scratch(), 'h.toml')
    writeFileSync(file, 'interval = "7m"\n')
    expect(JSON.parse((await show('-c', file)).stdout)).toMatchObject({ interval: '7m' })
  })

  it('are refused where the command has no such option', async () => {
    const { code, stderr } = await show('-q')
    expect([code, stderr]).toEqual([64, expect.stringContaining('q')])
  })

  it('are values after an option that needs one', async () => {
    const { stdout } = await show('--username', '-v')
    expect(stdout).not.toContain('"log_level":"debug"')
  })
})
