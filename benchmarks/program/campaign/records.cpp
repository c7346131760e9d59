#include "campaign/records.hpp"

#include <filesystem>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include <sunlagrange/base/status.hpp>

namespace sunlagrange::bench {
namespace {

namespace fs = std::filesystem;

double number_of(const Json& value) {
  return value.is_null() ? Report::none : value.get<double>();
}

CampaignRun run_of(const Json& json) {
  CampaignRun run;
  json.at("formulation").get_to(run.formulation);
  json.at("integrator").get_to(run.integrator);
  json.at("rtol").get_to(run.rtol);
  json.at("outcome").get_to(run.outcome);
  json.at("message").get_to(run.message);
  json.at("doubts").get_to(run.doubts);
  run.error = number_of(json.at("error"));
  json.at("amplification").get_to(run.amplification);
  json.at("smallest_singular_value").get_to(run.smallest_singular_value);
  run.halving = number_of(json.at("halving"));
  json.at("steps").get_to(run.steps);
  return run;
}

CampaignCase case_of(const Json& json) {
  CampaignCase result;
  json.at("seed").get_to(result.seed);
  json.at("features").get_to(result.features);
  json.at("kind").get_to(result.kind);
  json.at("mass_ratio").get_to(result.mass_ratio);
  json.at("references").get_to(result.references);
  result.gap = number_of(json.at("gap"));
  json.at("set_aside").get_to(result.set_aside);
  for (const Json& run : json.at("runs")) result.runs.push_back(run_of(run));
  return result;
}

}  // namespace

Json as_json(const CampaignPlan& plan) {
  return {{"campaign", 1},       {"seed", plan.seed},          {"set", plan.set}, {"formulations", plan.formulations},
          {"rtols", plan.rtols}, {"max_steps", plan.max_steps}};
}

Json as_json(const CampaignRun& run) {
  return {{"formulation", run.formulation},
          {"integrator", run.integrator},
          {"rtol", run.rtol},
          {"outcome", run.outcome},
          {"message", run.message},
          {"doubts", run.doubts},
          {"error", number_or_null(run.error)},
          {"amplification", run.amplification},
          {"smallest_singular_value", run.smallest_singular_value},
          {"halving", number_or_null(run.halving)},
          {"steps", run.steps}};
}

Json as_json(const CampaignCase& result) {
  Json runs = Json::array();
  for (const CampaignRun& run : result.runs) runs.push_back(as_json(run));
  return {{"seed", result.seed},
          {"features", result.features},
          {"kind", result.kind},
          {"mass_ratio", result.mass_ratio},
          {"references", result.references},
          {"gap", number_or_null(result.gap)},
          {"set_aside", result.set_aside},
          {"runs", std::move(runs)}};
}

CampaignFile::CampaignFile(const std::string& file, const CampaignPlan& plan, bool resume) : file_(file) {
  std::error_code none;
  const bool exists = fs::exists(file_, none) && fs::file_size(file_, none) > 0;
  if (exists && !resume)
    throw Error("--out: \"" + file_ + "\" exists; add --resume to go on with it, or choose another name");
  if (exists) read(plan);
  stream_.open(file_, std::ios::app);
  if (!stream_) throw Error("--out: cannot write \"" + file_ + "\"; check that the folder exists and is writable");
  if (fs::file_size(file_, none) == 0) write(as_json(plan));
}

void CampaignFile::read(const CampaignPlan& plan) {
  std::ifstream in(file_);
  if (!in) throw Error("--resume: cannot read \"" + file_ + "\"");
  std::uintmax_t whole = 0;
  bool first = true;
  for (std::string line; std::getline(in, line) && !in.eof(); first = false) {  // the last line may lack its end
    try {
      const Json json = Json::parse(line);
      if (!first) {
        const CampaignCase result = case_of(json);
        known_[result.seed] = result;
      } else if (json != as_json(plan)) {
        throw Error("--resume: \"" + file_ + "\" was written with other options, " + line +
                    "; repeat them, or choose another name");
      }
    } catch (const nlohmann::json::exception&) {
      throw Error("--resume: \"" + file_ + "\" is not the file of a campaign: \"" + line.substr(0, 60) +
                  "\"; choose another name");
    }
    whole += line.size() + 1;
  }
  in.close();
  if (whole == 0) throw Error("--resume: \"" + file_ + "\" is not the file of a campaign; choose another name");
  fs::resize_file(file_, whole);
}

void CampaignFile::append(const CampaignCase& result) {
  write(as_json(result));
}

void CampaignFile::write(const Json& line) {
  stream_ << line.dump() << "\n" << std::flush;
  if (!stream_)
    throw std::runtime_error("--out: cannot write \"" + file_ + "\"; free some space and go on with --resume");
}

}  // namespace sunlagrange::bench
