import { describe, expect, it } from 'vitest'
import { readYaml } from '../../../../src/client/setup/migration/yaml-file.ts'

describe('YAML', () => {
  it('has the line of each value, and scalars as they are written', () => {
    const read = readYaml('a:\n  - 012\n  - true\n  - ~\nb: {c: "x: y"}\n')
    const members = read.ok ? read.value.members : undefined
    expect(members?.get('a')?.items?.map(({ text, line }) => [text, line])).toEqual([
      ['012', 2],
      ['true', 3],
      ['', 4],
    ])
    expect(members?.get('b')?.members?.get('c')).toEqual({ line: 5, text: 'x: y' })
  })
  it.each([
    ['b: 1\nb: 2\n', 2],
    ['a: "x', 1],
    [`a: ${'['.repeat(20_000)}`, 1],
    [`a: ${'['.repeat(30)}${']'.repeat(30)}`, 1],
  ])('a fault has its line', (text, line) => {
    const read = readYaml(text)
    expect(read.ok ? undefined : read.error.line).toBe(line)
  })
})
