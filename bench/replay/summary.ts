/** What `sotto-lab replay --json` prints, as far as the table needs it (native/lab/src/replay/summary.rs). */

export interface Quartiles {
  lower: number;
  median: number;
  upper: number;
}

interface Connections {
  mean: number;
  quartiles: Quartiles;
  most: number;
  mostOctets: number;
  mostKernelOctets: number;
}

export interface Outcome {
  timeout: number;
  hitFraction: number;
  byClient: Quartiles;
  resumedFraction: number;
  connections: Connections;
  fullHandshakesPerSecond: number;
  resumedHandshakesPerSecond: number;
  processors: number;
  latency: { queries: Latency[]; medianClient: Latency[] };
  keepWarm: { hitFraction: number; dialsPerQuery: number; connections: Connections };
}

export interface Latency {
  stubRoundTripMs: number;
  stub: string;
  authority: string;
  meanMs: number;
  moreThanUdp: number;
}

export interface Replayed {
  queries: number;
  seconds: number;
  costs: {
    fullUs: number;
    resumedUs: number;
    queryUs: number;
    connectionOctets: number;
    kernelOctets: number;
  };
  clients: number;
  timeouts: Outcome[];
  speed: { queries: number; readingSeconds: number; modelSeconds: number };
}
