import { EN_ACCOUNT } from './account.ts'
import { EN_BULK } from './bulk.ts'
import { EN_FACTORS } from './factors.ts'
import { EN_FRAME } from './frame.ts'
import { EN_KEYS } from './keys.ts'
import { EN_LINKS } from './links.ts'
import { EN_NAMES } from './names.ts'
import { EN_OPERATOR } from './operator.ts'
import { EN_ZONES } from './zones.ts'

/** English. */
export const EN = {
  ...EN_FRAME,
  ...EN_FACTORS,
  ...EN_NAMES,
  ...EN_ZONES,
  ...EN_KEYS,
  ...EN_LINKS,
  ...EN_ACCOUNT,
  ...EN_BULK,
  ...EN_OPERATOR,
}
