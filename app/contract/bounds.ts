/** What the contract allows at most, apart from the shapes that say so: those who only need a number load no validators. */

/** The most entries of the ledger in one reply. A longer reply would keep other clients waiting. */
export const mostEntries = 1000;

export const mostAuditRecords = 1000;

/** A week. */
export const longestPauseMinutes = 10_080;

/** Queries for the root's name servers, which carry no name of anyone, put to each upstream that is compared with others. */
export const comparedQueries = 3;

/** How long the counts of outcomes and latencies are kept, whatever the query log keeps. */
export const seriesKeptMs = 7 * 86_400_000;
