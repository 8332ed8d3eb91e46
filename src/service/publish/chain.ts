/** How many names of a chain of CNAME and ALIAS are followed: what is further has no address. */
export const MAX_CHAIN = 8
