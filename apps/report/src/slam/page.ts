import type { SlamReport } from "../data";
import { guarded } from "../dom";
import { calibration } from "./calibration";
import { errorOverTime, refusals, stageTimes, successByBin } from "./charts";
import { headline } from "./headline";
import { loopView } from "./loop_view";
import { mapView } from "./map_view";
import { Selection } from "./selection";
import { topView } from "./top_view";

export function slamPage(report: SlamReport): HTMLElement[] {
  const selection = new Selection();
  return [
    guarded("summary", () => headline(report)),
    guarded("trajectory", () => topView(report, selection)),
    guarded("loops", () => loopView(report, selection)),
    guarded("map", () => mapView(report)),
    guarded("error", () => errorOverTime(report)),
    guarded("success", () => successByBin(report)),
    guarded("refused", () => refusals(report)),
    guarded("calibration", () => calibration(report)),
    guarded("time", () => stageTimes(report)),
  ];
}
