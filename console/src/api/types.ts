// Short names for the types of the API's answers. They are all generated: none is written by hand.
import type { components } from "./schema";

type Schemas = components["schemas"];

export type ErrorAnswer = Schemas["ErrorAnswer"];
export type Caller = Schemas["CallerOut"];
export type Permission = Schemas["Permission"];
export type SiteTotals = Schemas["SiteTotals"];
export type SiteName = Pick<SiteTotals, "site_id" | "code" | "name" | "timezone">;
export type FleetEfficiency = Schemas["FleetEfficiency"];
export type Cells = Schemas["CellsAnswer"];
export type PastCells = Schemas["PastCellsAnswer"];
export type Trend = Schemas["TrendAnswer"];
export type LiveMachine = Schemas["LiveMachine"];
export type LastReported = Schemas["LastReported"];
export type Point = Schemas["BucketPoint"];

export type Command = Schemas["CommandOut"];
export type CommandType = Schemas["CommandTypeOut"];
export type ParamProperty = Schemas["ParamProperty"];
export type CreatedCommands = Schemas["RequestOut"];
export type DryRun = Schemas["DryRunOut"];

export type Problem = Schemas["Problem"];
export type ProblemDetails = Schemas["ProblemDetails"];
export type ProblemList = Schemas["ProblemList"];
export type ProblemCounts = Schemas["ProblemCounts"];
export type Facets = Schemas["Facets"];
export type Evidence = Problem["evidence_json"][number];
export type PeerPosition = Schemas["PeerPosition"];
export type PeerComparison = Schemas["PeerComparison"];
export type Baseline = Schemas["Baseline"];
export type TimelineEntry = Schemas["TimelineEntry"];
export type Assignee = Schemas["Assignee"];
export type SiteSummary = Schemas["SiteSummary"];
export type ProblemAction = Schemas["ProblemAction"];
export type BulkRequest = Schemas["Bulk"];
export type BulkResult = Schemas["BulkResult"];
export type Suppress = Schemas["Suppress"];
export type Unsuppressed = Schemas["MinerUnsuppressed"];
