import { getDomain, getPublicSuffix } from 'tldts-icann'

/**
 * Whether this is a public suffix of the ICANN section (https://publicsuffix.org), such as
 * co.uk: a zone of one would hold names of others.
 */
export const isPublicSuffix = (name: string): boolean => getPublicSuffix(name) === name

/** The name below its public suffix, such as example.co.uk; undefined without one. */
export const domainBelowSuffix = (name: string): string | undefined => getDomain(name) ?? undefined
