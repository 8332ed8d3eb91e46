import { expect, it } from 'vitest'
import { nearest } from '../../../src/shared/base/nearest.ts'

const KNOWN = ['hostnames', 'username', 'password', 'password_file', 'interval', 'ipv4']

it.each([
  ['hostname', 'hostnames'],
  ['usernmae', 'username'],
  ['Interval', 'interval'],
  ['pasword_file', 'password_file'],
  ['ipv', 'ipv4'],
  ['colour', undefined],
  ['x', undefined],
])('the known word closest to %s is %s', (typed, closest) => expect(nearest(typed, KNOWN)).toBe(closest))
