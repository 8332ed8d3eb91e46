import type { Translation } from '../words.ts'
import { DE_ACCOUNT } from './account.ts'
import { DE_BULK } from './bulk.ts'
import { DE_FACTORS } from './factors.ts'
import { DE_FRAME } from './frame.ts'
import { DE_KEYS } from './keys.ts'
import { DE_LINKS } from './links.ts'
import { DE_NAMES } from './names.ts'
import { DE_OPERATOR } from './operator.ts'
import { DE_ZONES } from './zones.ts'

/** German. */
export const DE: Translation = {
  ...DE_FRAME,
  ...DE_FACTORS,
  ...DE_NAMES,
  ...DE_ZONES,
  ...DE_KEYS,
  ...DE_LINKS,
  ...DE_ACCOUNT,
  ...DE_BULK,
  ...DE_OPERATOR,
}
