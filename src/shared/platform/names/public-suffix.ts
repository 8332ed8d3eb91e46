import { getDomain, getPublicSuffix } from 'tldts'

/**
 * Whether this is a public suffix (https://publicsuffix.org), such as co.uk, or github.io of its private section: a zone of
 * one would hold names of others.
 */
export const isPublicSuffix = (name: string): boolean =>
  getPublicSuffix(name, { allowPrivateDomains: true }) === name

/** The name below its public suffix, such as example.co.uk; undefined without one. */
export const domainBelowSuffix = (name: string): string | undefined => getDomain(name) ?? undefined
