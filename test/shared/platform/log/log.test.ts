import { execFileSync } from 'node:child_process'
import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Secret } from '../../../../src/shared/base/secret.ts'
import { jsonLog } from '../../../../src/shared/platform/log/json-log.ts'
import { type LineStyle, lineLog, styleOf } from '../../../../src/shared/platform/log/log.ts'

function logged(style: LineStyle | 'json'): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const fd = openSync(join(folder, 'log'), 'w')
  const log = style === 'json' ? jsonLog(fd, 'debug') : lineLog(fd, 'debug', style)
  log('trace', 'too small')
  log('debug', 'detail', { fields: { count: 2 } })
  log('info', 'news', { fields: { host: 'a.test', why: 'two words' } })
  log('info', 'static', { fields: { host: 'a.test' }, line: 'a sentence' })
  log('warn', 'careful')
  log('error', 'broken', { fields: { password: new Secret('swordfish') } })
  closeSync(fd)
  return readFileSync(join(folder, 'log'), 'utf8')
}

it('starts each line for journald with its priority (sd-daemon(3))', () =>
  expect(logged('journal').trim().split('\n')).toEqual([
    '<7>detail count=2',
    '<6>news host=a.test why="two words"',
    '<6>a sentence',
    '<4>careful',
    '<3>broken password=«secret»',
  ]))

it('starts each line on a terminal with the time, and with the level unless it is info', () =>
  expect(
    logged('terminal')
      .trim()
      .split('\n')
      .map((line) => line.replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, 'T')),
  ).toEqual([
    'T debug: detail count=2',
    'T news host=a.test why="two words"',
    'T a sentence',
    'T warn: careful',
    'T error: broken password=«secret»',
  ]))

it('writes one JSON object per line for programs, with the static message as msg', () => {
  const lines = logged('json')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

  expect(lines.map(({ msg }) => msg)).toEqual(['detail', 'news', 'static', 'careful', 'broken'])
  expect(lines[4]?.['password']).toBe('«secret»')
})

it('uses the journal style only for the descriptor of the journal (systemd.exec(5), JOURNAL_STREAM)', () => {
  const { dev, ino } = fstatSync(2)

  expect(styleOf(2, false, `${dev}:${ino}`)).toBe('journal')
  expect(styleOf(2, false, '1:1')).toBe('terminal')
  expect(styleOf(2, false, undefined)).toBe('terminal')
  expect(styleOf(2, true, `${dev}:${ino}`)).toBe('terminal')
})

it.each(['lineLog', 'jsonLog'])('%s drops lines that cannot be written, and does not throw', (name) => {
  const make = {
    lineLog: (fd: number) => lineLog(fd, 'info', 'journal'),
    jsonLog: (fd: number) => jsonLog(fd, 'info'),
  }
  const full = openSync('/dev/full', 'w')
  const log = make[name as keyof typeof make](full)
  expect(() => log('info', 'no room')).not.toThrow()
  closeSync(full)
  expect(() => log('info', 'no file')).not.toThrow()

  const file = join(
    import.meta.dirname,
    '../../../../src/shared/platform/log',
    name === 'jsonLog' ? 'json-log.ts' : 'log.ts',
  )
  const script = `
    const { ${name} } = await import(${JSON.stringify(file)})
    const log = ${name}(1, 'info', 'journal')
    for (let n = 0; n < 20000; n++) log('info', 'no reader', { fields: { n } })
    process.exitCode = 7`
  const shell = `"${process.execPath}" --no-warnings --input-type=module -e '${script.replaceAll("'", `'"'"'`)}' | true; echo \${PIPESTATUS[0]}`
  expect(execFileSync('bash', ['-c', shell], { encoding: 'utf8' })).toBe('7\n')
})
