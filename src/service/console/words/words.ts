import type { REQUEST_FAULTS } from '../../api/request/faults.ts'
import type { ERRORS } from '../../model/errors.ts'
import type { EN } from './en/en.ts'

/** The titles that the API gives its errors. */
type ErrorTitle =
  | (typeof ERRORS)[keyof typeof ERRORS]['meaning']
  | (typeof REQUEST_FAULTS)[keyof typeof REQUEST_FAULTS]['title']
export type ErrorWords = Readonly<Record<ErrorTitle, string>>

/** Every word that the console shows. An error without a word keeps its title, which is English. */
export type Words = typeof EN
/** The words of another language: the same keys, and one for each error. */
export type Translation = Omit<Words, 'errors'> & { readonly errors: ErrorWords }
