import type { FormatRow } from '../../imported.ts'
import { importInadyn1, isInadyn1 } from './inadyn1.ts'
import { importInadyn } from './inadyn2.ts'

export const INADYN: FormatRow = {
  read: (text, context) => (isInadyn1(text) ? importInadyn1 : importInadyn)(text, context),
  matches: (text) => /^[ \t]*(?:provider|custom)[ \t]+[^\s={"']+\s{0,9}\{/m.test(text) || isInadyn1(text),
  files: ['/etc/inadyn.conf', '/usr/local/etc/inadyn.conf'],
  stop: 'systemctl disable --now inadyn',
}
